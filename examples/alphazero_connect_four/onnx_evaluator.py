"""The network of an ONNX file as an evaluator of the search, by ONNX Runtime. Needs no PyTorch."""

import onnxruntime


def load(path, threads=2):
    """``f(observations) -> (policy, value)``, on ``threads`` threads."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def evaluate(observations):
        policy, value = session.run(["policy", "value"], {"observations": observations})
        return policy, value

    return evaluate
