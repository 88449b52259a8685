"""What all built-in kinds share."""

from cluster.apiserver.kinds.strategy import Strategy


class BuiltIn(Strategy):
    unconditional_update = True
    keeps_generation = False
    list_items_typed = False
    strategic_merge = True
    type_errors_are_bad_requests = True
