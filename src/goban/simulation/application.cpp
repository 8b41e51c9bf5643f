#include "goban/simulation/application.hpp"

namespace goban {

Setup::~Setup() = default;
void Setup::results(nlohmann::ordered_json&) {}
Application::~Application() = default;

}  // namespace goban
