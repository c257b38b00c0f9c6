"""Neo4j from Maven Central, run by a launcher of its embedding API (devservers/neo4j)."""

import re
import secrets
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from devservers.packages import require
from devservers.processes import LOOPBACK, end, launched, until_ready
from devservers.service import ROOT, ServiceError, Started

VERSION = "5.26.28"
JAVA = range(17, 22)  # Neo4j 5.26 supports Java 17 and 21
PACKAGES = ("maven", "default-jdk-headless")  # the launcher is compiled when it starts: a runtime alone cannot
SOURCES = ROOT / "devservers" / "neo4j"
HEAP_MB = 512
USER, FIRST_PASSWORD = "neo4j", "neo4j"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
MAVEN_S = 900


@dataclass(frozen=True, slots=True)
class Neo4jServer:
    """The server behind NEO4J_URI."""

    name: str = "neo4j"

    def install(self, home: Path) -> None:
        """Fetch the jars of VERSION. Raises ServiceError without Java and Maven."""
        lib, mark = home / "lib", home / "lib" / "VERSION"
        if mark.is_file() and mark.read_text(encoding="ascii") == VERSION:
            require({"java": PACKAGES, "javac": PACKAGES})
            return
        require({"java": PACKAGES, "javac": PACKAGES, "mvn": PACKAGES})
        check_java()
        shutil.rmtree(lib, ignore_errors=True)
        fetch(lib)
        mark.write_text(VERSION, encoding="ascii")

    def launch(self, home: Path, port: int) -> Started:
        """Start it."""
        password = password_of(home)
        launcher = str(SOURCES / "Launcher.java")
        jars = f"{home / 'lib'}/*"
        command = ["java", f"-Xmx{HEAP_MB}m", "-cp", jars, launcher, str(home / "data"), str(port)]
        settings = {"NEO4J_URI": f"bolt://{LOOPBACK}:{port}", "NEO4J_USER": USER, "NEO4J_PASSWORD": password}
        return launched(command, home, port, settings)

    def until_ready(self, home: Path, started: Started) -> None:
        """Wait until it answers; the first time it gets a password of its own. Raises ServiceError."""
        settings = started.settings
        until_ready(started.pid, home, lambda: answers(settings["NEO4J_URI"], settings["NEO4J_PASSWORD"]))

    def stop(self, started: Started) -> None:
        """Stop it; the launcher closes the databases."""
        end(started.pid, signal.SIGTERM)


def check_java() -> None:
    """Look at the version of Java. Raises ServiceError."""
    told = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', told)
    if not found or int(found[1]) not in JAVA:
        raise ServiceError(f"Java 17 or 21 is needed, found {told.splitlines()[0] if told else 'none'}")


def fetch(lib: Path) -> None:
    """Copy Neo4j and all that it needs from Maven Central. Raises ServiceError."""
    command = ["mvn", "-B", "-q", "-f", str(SOURCES / "pom.xml"), COPY]
    command += [f"-Dneo4j.version={VERSION}", f"-DoutputDirectory={lib}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=MAVEN_S)
    except subprocess.TimeoutExpired as error:
        raise ServiceError(f"Maven did not fetch Neo4j {VERSION} within {MAVEN_S} s: check the network") from error
    if done.returncode:
        said = " ".join((done.stdout + done.stderr).split())[:300]
        raise ServiceError(f"Maven could not fetch Neo4j {VERSION} from Maven Central: {said}")


def password_of(home: Path) -> str:
    """Return the password of this installation, made at its first start."""
    path = home / "password"
    if not path.is_file():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(16), encoding="ascii")
    return path.read_text(encoding="ascii")


def answers(uri: str, password: str) -> bool:
    """Return True if the server answers with this password; a new one is given it."""
    from neo4j import GraphDatabase
    from neo4j.exceptions import AuthError, DriverError, Neo4jError

    try:
        with GraphDatabase.driver(uri, auth=(USER, password)) as driver:
            driver.verify_connectivity()
            return True
    except AuthError:
        with GraphDatabase.driver(uri, auth=(USER, FIRST_PASSWORD)) as driver:
            change = "ALTER CURRENT USER SET PASSWORD FROM $old TO $new"
            driver.execute_query(change, old=FIRST_PASSWORD, new=password, database_="system")
            return False
    except (DriverError, Neo4jError):
        return False
