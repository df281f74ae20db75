"""A client on SDK 0.3.26, run by its own interpreter: `old_client.py URL TOKEN REQUEST`.

Prints the states of the task and the artifact's data as JSON.
"""

import asyncio
import json
import sys
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import DataPart, Message, Part, Role


async def main(url, token, request):
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(headers=headers, timeout=120) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        client = ClientFactory(ClientConfig(httpx_client=http, streaming=True)).create(card)
        parts = [Part(root=DataPart(data=json.loads(request)))]
        message = Message(role=Role.user, message_id=uuid.uuid4().hex, parts=parts)
        states, results = [], None
        async for task, _ in client.send_message(message):
            states.append(task.status.state.value)
            if task.artifacts:
                results = task.artifacts[0].parts[0].root.data
    print(json.dumps({"states": states, "results": results}))  # noqa: T201 - for its parent


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
