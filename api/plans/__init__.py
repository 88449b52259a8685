"""What a deploy or a set of manifests would do, worked out from records and one look into the repository.
Pure: it builds, stores and starts nothing."""
