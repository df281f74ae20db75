"""The pages of agents, which are those of every kind of endpoint."""

from benchmarks.forms.agents import AgentEndpointForm
from benchmarks.models import AgentEndpoint
from benchmarks.services.agents import read_agent_card, try_agent
from generation.selectors.texts.calls import text_use_of
from generation.views.endpoints import EndpointPages

AGENTS = EndpointPages(
    model=AgentEndpoint,
    form=AgentEndpointForm,
    title="Agents",
    url="agent",
    templates="agent",
    use_of=text_use_of,
    try_it=try_agent,
    read_offer=read_agent_card,
    app="benchmarks",
    section="benchmarks",
    noun="agent",
    unread="Its card could not be read",
)
