import type { Release, ReleaseList, RunningService } from "../model/live";
import { inertJson } from "./inert";

/** `status -json`: one document, services sorted by address. */
export const statusJson = (services: readonly RunningService[]): string =>
  `${inertJson({ format_version: "1.0", services: services.map(serviceData) }, 2)}\n`;

/** `deployments -json`: one document, newest first. */
export const releasesJson = ({ address, releases, hasMore, reason }: ReleaseList): string =>
  `${inertJson({ format_version: "1.0", address, deployments: releases.map(releaseData), has_more: hasMore, reason }, 2)}\n`;

const serviceData = (one: RunningService) => ({
  address: one.address,
  id: one.id,
  name: one.name,
  runs: one.runs,
  reason: one.reason,
  archived: one.archived,
  url: one.url,
  status: one.status,
  health: one.health,
  health_checked_at: one.healthCheckedAt,
  release: one.release && releaseData(one.release),
  latest: one.latest && releaseData(one.latest),
  standing: one.standing,
});

const releaseData = (one: Release) => ({
  id: one.id,
  status: one.status,
  serves: one.serves,
  branch: one.branch,
  commit: one.commit,
  commit_message: one.commitMessage,
  trigger: one.trigger,
  actor: one.actor,
  blocked_reason: one.blockedReason,
  error: one.error,
  cancel_requested: one.cancelRequested,
  can_rollback: one.canRollback,
  source_deployment_id: one.sourceId,
  created_at: one.createdAt,
  started_at: one.startedAt,
  finished_at: one.finishedAt,
});
