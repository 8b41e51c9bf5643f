#pragma once
// Values as text.

#include <string>
#include <string_view>

#include "goban/io/case/schema.hpp"

namespace goban {

/// The shortest decimal that reads back as the same double: "1", "0.001", "1e-09".
std::string plain_number(double value);

/// A value as TOML: reals always look like reals ("1.0"), texts are quoted and escaped.
std::string toml_text(const CaseValue& value);

/// A text in double quotes with TOML escapes.
std::string toml_quoted(std::string_view text);

/// The beginning of a text that is too long to be repeated in a message.
std::string shortened(std::string_view text);

}  // namespace goban
