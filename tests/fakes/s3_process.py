"""The program behind `s3_server`: moto's S3 on a free port, which it prints first."""

import sys

from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server


def main() -> None:
    application = DomainDispatcherApplication(create_backend_app)
    server = make_server("127.0.0.1", 0, application, threaded=True)
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
