# The project's own server: `wenmai serve`, one process, no licence and no other runtime. What it needs is pinned by
# deploy/requirements.lock, with hashes; tools of the tests are not in it. The page is bundled by esbuild (hatch_build.py).
FROM node:24-slim AS page
WORKDIR /build/tests/page
COPY tests/page/package.json tests/page/package-lock.json ./
RUN npm ci --ignore-scripts

FROM python:3.11-slim AS build
WORKDIR /build
RUN python -m venv /opt/wenmai
COPY deploy/requirements.lock pyproject.toml hatch_build.py README.md LICENSE ./
RUN /opt/wenmai/bin/pip install --no-cache-dir --require-hashes --requirement requirements.lock
COPY graph graph
COPY nodes nodes
COPY state state
COPY tools tools
COPY wenmai wenmai
COPY data/sample data/sample
COPY --from=page /build/tests/page/node_modules/@esbuild tests/page/node_modules/@esbuild
RUN /opt/wenmai/bin/pip install --no-cache-dir --no-deps .

FROM python:3.11-slim
RUN useradd --create-home wenmai && mkdir -p /data /models && chown wenmai /data /models
COPY --from=build /opt/wenmai /opt/wenmai
USER wenmai
WORKDIR /home/wenmai
ENV PATH=/opt/wenmai/bin:$PATH DATA_DIR=/data/stores TRACE_DIR=/data/traces MODEL_CACHE_DIR=/models \
    FASTEMBED_CACHE_PATH=/models/fastembed WENMAI_REQUIRE_KEYS=true PYTHONUTF8=1 \
    PYTHONDONTWRITEBYTECODE=1
VOLUME ["/data", "/models"]
EXPOSE 8000
CMD ["wenmai", "serve", "--host", "0.0.0.0", "--port", "8000"]
