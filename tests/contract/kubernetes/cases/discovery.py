"""What there is, and what there is not."""

from tests.contract.apiserver.client import GROUP
from tests.contract.kubernetes.conversation import Conversation


def of_a_group(talk: Conversation) -> None:
    talk.say("GET", GROUP)
    talk.say("GET", "/apis/test.example.com")
    talk.say("GET", "/apis/test.example.com/v2")
    talk.say("GET", "/apis/no.such.group")


def beside_resources(talk: Conversation) -> None:
    talk.say("GET", "/nonsense")
    talk.say("GET", "/readyz")
