# Skypool in one image. With DATABASE_URL it uses that PostgreSQL; without, its own, in the data folder.
# Images are named by version and digest (of all platforms, from docker-library/repo-info), so that a build uses what was reviewed.
FROM node:22.23.2-bookworm-slim@sha256:48e4b67d85f87bd551df43704e24d252f56cc5f8e9718841aace50f19948f0f9 AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Install scripts of packages are not run: none of them needs one.
RUN npm ci --include=dev --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:22.23.2-bookworm-slim@sha256:48e4b67d85f87bd551df43704e24d252f56cc5f8e9718841aace50f19948f0f9
# For glibc (mallopt(3)): the memory of a burst of connections is returned to the system, but buffers of transfers are used again.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data MALLOC_TRIM_THRESHOLD_=8388608 MALLOC_MMAP_THRESHOLD_=393216
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/prisma/migrations ./prisma/migrations
COPY --from=build /app/web/__generated__/persisted.json ./web/__generated__/persisted.json
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/ready').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is process 1: it receives SIGTERM and finishes active requests (up to 28 seconds).
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=32", "--initial-heap-size=64", "dist/server/main.cjs"]
