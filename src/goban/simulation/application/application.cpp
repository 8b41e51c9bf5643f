#include "goban/simulation/application/application.hpp"

#include <stdexcept>

#include "goban/simulation/run/simulation.hpp"

namespace goban {

Setup::~Setup() = default;
Application::~Application() = default;

Run& Setup::run() { return simulation(); }
Simulation& Setup::simulation() { throw std::logic_error("this case steps no grid through time"); }

}  // namespace goban
