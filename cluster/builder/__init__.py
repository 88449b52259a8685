"""From a repository to an artifact: git and installers in the sandbox, the build's log, the artifact store.
Decides nothing that planning decides, and trusts nothing that comes out of a repository or a build."""
