#include "goban/simulation/application.hpp"

namespace goban {

Setup::~Setup() = default;
Application::~Application() = default;

}  // namespace goban
