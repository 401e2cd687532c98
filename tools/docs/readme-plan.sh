# What comes before the plan in README.md: an apply, a change in the dashboard, and an edit that removes a service.
cat > rnv.yaml <<'END'
projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/shop/api", healthCheckPath: /healthz }
      worker:
        kind: worker
        configuration: { repository: "https://git.example.com/shop/worker" }
        deploy: { when: never }
END
rnv apply -auto-approve
change-outside api healthCheckPath /
cat > rnv.yaml <<'END'
projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/shop/api", healthCheckPath: /healthz, replicas: 2 }
END
