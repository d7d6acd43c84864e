# ONNX's protobuf schema as packaged by the distribution (library onnx_proto). Wrapped in one SYSTEM target, so that
# its generated headers do not raise our warnings.
find_path(ONNX_INCLUDE_DIR onnx/onnx-ml.pb.h REQUIRED)
find_library(ONNX_PROTO_LIBRARY onnx_proto REQUIRED)
add_library(tessera_onnx_schema INTERFACE)
target_include_directories(tessera_onnx_schema SYSTEM INTERFACE ${ONNX_INCLUDE_DIR})
target_compile_definitions(tessera_onnx_schema INTERFACE ONNX_NAMESPACE=onnx ONNX_ML=1)
target_link_libraries(tessera_onnx_schema INTERFACE ${ONNX_PROTO_LIBRARY} protobuf::libprotobuf)
