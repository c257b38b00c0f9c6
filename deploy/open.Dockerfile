# The open runtime: `langgraph dev`, one process; turns are in the checkpoints, runs in memory and on its disk. No licence is needed.
FROM python:3.11-slim
WORKDIR /app
COPY requirements.lock ./
RUN pip install --no-cache-dir --requirement requirements.lock
COPY . .
RUN pip install --no-cache-dir --no-deps --editable . \
    && useradd --create-home wenmai && mkdir -p /data /app/.langgraph_api && chown -R wenmai /data /app/.langgraph_api
USER wenmai
ENV DATA_DIR=/data/stores TRACE_DIR=/data/traces PYTHONUTF8=1 LANGGRAPH_CLI_NO_ANALYTICS=1
EXPOSE 8000
CMD ["langgraph", "dev", "--host", "0.0.0.0", "--port", "8000", "--no-browser", "--no-reload", "--n-jobs-per-worker", "8"]
