"""A real control plane for tests: kube-apiserver, kube-controller-manager and etcd, built from their modules.
What is tried on it belongs in `tests/contract/kubernetes` and `tests/system`, not here."""
