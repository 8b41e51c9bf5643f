/* A module of an application whose headers were other ones. */
struct module {
  const char* interface;
  void* application;
};
const struct module goban_application_module = {"of another day", 0};
