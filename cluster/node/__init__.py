"""The node agent: runs instances and builds of its node, keeps their logs, samples them, answers for them.
Decides nothing about where or how many: records say what is wanted, and the agent makes it so on this machine."""
