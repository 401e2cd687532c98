resource "rnv_project" "cinema" {
  name = "Cinema"
}

resource "rnv_service" "example" {
  project_id = rnv_project.cinema.id
  name       = "api"
  kind       = "web"

  configuration {
    repository        = "https://git.example.com/cinema/api"
    branch            = "main"
    runtime           = "node"
    plan              = "starter"
    health_check_path = "/healthz"
  }

  timeouts {
    create = "10m"
  }
}

resource "rnv_service" "tickets" {
  project_id = rnv_project.cinema.id
  name       = "tickets"
  kind       = "cron"

  configuration {
    repository    = "https://git.example.com/cinema/tickets"
    start_command = "node send-tickets.js"
    schedule      = "*/15 * * * *"
    timezone      = "Africa/Lagos"
  }
}

# No plan deletes or replaces it until an apply has set this to false.
resource "rnv_service" "database" {
  project_id          = rnv_project.cinema.id
  name                = "database"
  kind                = "postgres"
  deletion_protection = true
}

# A module passes its configuration on field by field. A field that is null counts as left out.
variable "worker" {
  type = object({
    plan          = optional(string)
    start_command = optional(string)
  })
  default = { plan = "starter", start_command = "node worker.js" }
}

resource "rnv_service" "worker" {
  project_id = rnv_project.cinema.id
  name       = "worker"
  kind       = "worker"

  configuration {
    plan          = var.worker.plan
    start_command = var.worker.start_command
  }
}
