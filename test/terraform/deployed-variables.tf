
resource "rnv_variable" "url" {
  service_id = rnv_service.api.id
  key        = "URL"
  value      = "hunter2-canary one"
}
resource "rnv_variables" "more" {
  service_id = rnv_service.api.id
  values     = { OTHER = "hunter2-canary two" }
}
