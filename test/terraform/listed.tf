data "rnv_projects" "all" {}
data "rnv_service" "api" { name = "api" }
data "rnv_variables" "api" { service_id = data.rnv_service.api.id }
data "rnv_deployment" "serving" { service_id = data.rnv_service.api.id }
data "rnv_project" "die" { name = "Dié" }
data "rnv_service" "cafe" { name = "Café" }
data "rnv_service" "placed" {
  name       = "Café"
  project_id = data.rnv_project.die.id
}
data "rnv_deployment" "first" {
  service_id = data.rnv_service.api.id
  id         = "<first>"
}
output "all" {
  value = {
    projects = [for one in data.rnv_projects.all.projects : one.name]
    project  = data.rnv_service.api.project_id
    keys     = data.rnv_variables.api.keys
    cafes    = [data.rnv_service.cafe.id, data.rnv_service.placed.id]
    ids      = [for one in data.rnv_variables.api.variables : one.id]
    serving  = data.rnv_deployment.serving.id
    commits  = [data.rnv_deployment.serving.commit_sha, data.rnv_deployment.first.commit_sha]
    status   = data.rnv_deployment.serving.status
  }
}
