"""What ours answers otherwise on purpose: case, and which of its answers (from 0). The reasons are in
docs/kubernetes-compatibility.md, a row for each."""

CHOSEN: dict[str, set[int]] = {
    "create-a-whole-number-with-a-point": {0},
    "create-metadata-that-is-refused": {6},
    "apply-refused": {4},
    "patch-strategic-lists": {11, 13, 14},
    "watch-refused": {1},
    "definitions-conversions": {4},
    "definition-versions-moved": {6},
    "definition-ends-an-object-made-late": {0},
    "rights-roles": {1},
}
