"""Account: its namespace exists, the parts may reach its Secrets, and its status says whether it may act."""

from controller.engine.context import Context
from controller.engine.errors import Terminal
from controller.engine.reconciler import Reconciler
from crds.conditions import READY, with_condition
from crds.models.account import Account, AccountStatus
from crds.models.core import Namespace
from crds.models.rbac import RoleBinding
from crds.models.record import GROUP, Metadata
from crds.names import HANDLE_LENGTH, RESERVED, account_namespace, name_problem
from crds.rbac import account_bindings, applied, digest

MANAGER = "setpoint-controller"
LABEL_ACCOUNT = f"{GROUP}/account"


async def reconcile(context: Context, account: Account, status: AccountStatus) -> None:
    problem = name_problem(account.name, HANDLE_LENGTH)
    if problem or account.name in RESERVED:
        raise Terminal("InvalidHandle", f"The handle {problem or 'is reserved'}: delete this account, make another.")
    name = account_namespace(account.name)
    if status.namespace != name:
        wanted = Namespace(
            metadata=Metadata(
                name=name, labels={LABEL_ACCOUNT: account.name}, owner_references=[account.owner_reference()]
            )
        )
        made = await context.ensure(wanted)
        if made.metadata.labels.get(LABEL_ACCOUNT) != account.name:
            raise Terminal("NamespaceTaken", f"The namespace {name} exists and is not this account's: rename it.")
    await _bind(context, name, status)
    status.namespace = name
    status.phase = "suspended" if account.spec.suspended else "active"
    status.conditions = with_condition(
        status.conditions,
        READY,
        "False" if account.spec.suspended else "True",
        reason="Suspended" if account.spec.suspended else "Active",
        now=context.now(),
        generation=account.metadata.generation,
    )


async def _bind(context: Context, namespace: str, status: AccountStatus) -> None:
    """Let the parts that need them reach this account's Secrets, and no others."""
    wanted = account_bindings(namespace)
    if status.rights == digest(wanted):
        return
    for binding in wanted:
        await context.apply(RoleBinding, applied(binding), MANAGER)
    status.rights = digest(wanted)


RECONCILER = Reconciler(Account, reconcile)
