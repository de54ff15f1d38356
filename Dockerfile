# One image for web, worker, beat and agent; docker-compose.yml gives each its command.
FROM python:3.12-slim
WORKDIR /app
COPY requirements.lock .
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
COPY manage.py ./
COPY alldata alldata
COPY profiles profiles
COPY scheduling scheduling
COPY monitoring monitoring
COPY costing costing
COPY templates templates
COPY static static
COPY locale locale
RUN useradd --system alldata && mkdir /data && chown alldata /data
USER alldata
