
data "rnv_services" "none" { project_id = "<nowhere>" }
data "rnv_canvas" "none" { project_id = "<nowhere>" }
data "rnv_deployments" "none" { service_id = "<nowhere>" }
ephemeral "rnv_variable_value" "none" {
  service_id = "<nowhere>"
  key        = "TOKEN"
}
data "rnv_service" "other" {
  id         = "<apiId>"
  project_id = "<officeId>"
}
