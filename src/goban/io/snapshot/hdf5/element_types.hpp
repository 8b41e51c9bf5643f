#pragma once
// Types of elements in files and in memory.

#include <hdf5.h>

#include "goban/base/types.hpp"

namespace goban::hdf5 {

inline hid_t file_type_of(ElementType type) {
  switch (type) {
    case ElementType::uint8: return H5T_STD_U8LE;
    case ElementType::int32: return H5T_STD_I32LE;
    case ElementType::float64: return H5T_IEEE_F64LE;
    default: return H5T_IEEE_F32LE;
  }
}
inline hid_t memory_type_of(ElementType type) {
  switch (type) {
    case ElementType::uint8: return H5T_NATIVE_UINT8;
    case ElementType::int32: return H5T_NATIVE_INT32;
    case ElementType::float64: return H5T_NATIVE_DOUBLE;
    default: return H5T_NATIVE_FLOAT;
  }
}

}  // namespace goban::hdf5
