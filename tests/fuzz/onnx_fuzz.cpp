// The ONNX reader: whatever the bytes, they load or are refused with DataError, and what loaded can be counted.
// Seeds: tests/data/models/mlp_mnist.onnx tests/data/models/lstm_ptb.onnx tests/data/models/resnet18_bnfold.onnx
// Seeds: tests/data/models/seq2seq_gru_luong.onnx tests/data/models/wide_deep.onnx tests/data/models/unet.onnx
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "core/model/model.h"
#include "core/model/readers/onnx.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    try {
        tessera::model::summarise(tessera::model::readOnnx(bytes, "fuzz.onnx"));
    } catch (const tessera::DataError&) {  // what the reader is allowed to do with broken files
    } catch (const tessera::UsageError&) {
    }
    return 0;
}
