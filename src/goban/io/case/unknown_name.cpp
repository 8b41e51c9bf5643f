#include "goban/io/case/unknown_name.hpp"

#include <vector>

#include "goban/io/case/names.hpp"

namespace goban {

UnknownName describe_unknown(const std::string& name, bool section, const CaseSchema& schema,
                             const std::string& prefix) {
  if (section) {
    const std::vector<std::string> sections = schema.section_names();
    const std::string near = nearest_key(name, sections);
    const bool list = !near.empty() && schema.find(near) != nullptr;
    UnknownName advice{"unknown section [" + prefix + name + "]", "no key of this case begins so",
                       ""};
    if (!near.empty()) {
      advice.suggestion = did_you_mean((list ? "[[" : "[") + prefix + near + (list ? "]]" : "]"));
    } else if (!sections.empty()) {
      advice.suggestion = "the sections are " + joined(sections);
    }
    return advice;
  }
  UnknownName advice{"unknown key " + prefix + name, "the application declares no such key", ""};
  const std::string near = nearest_key(name, schema.key_names());
  if (!near.empty()) {
    advice.suggestion = did_you_mean(prefix + near);
  } else {
    std::vector<std::string> beside;
    for (const CaseKey& key : schema.keys()) {
      if (section_of(key.name()) == section_of(name)) beside.push_back(last_part_of(key.name()));
    }
    const std::string where = section_of(name).empty()
                                  ? (prefix.empty() ? "at the top" : "of this section")
                                  : "of [" + prefix + section_of(name) + "]";
    if (!beside.empty()) advice.suggestion = "the keys " + where + " are " + joined(beside);
  }
  return advice;
}

}  // namespace goban
