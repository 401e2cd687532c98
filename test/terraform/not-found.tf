
data "rnv_service" "twice" { name = "twice" }
data "rnv_service" "none" { name = "none" }
data "rnv_service" "slip" { name = "twiec" }
data "rnv_project" "case" { name = "DIÉ" }
data "rnv_variables" "none" { service_id = "<nowhere>" }
data "rnv_deployment" "none" {
  service_id = "<apiId>"
  id         = "<nowhere>"
}
