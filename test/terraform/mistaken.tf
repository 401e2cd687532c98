resource "rnv_service" "a" {
  name = null
  kind = "web"
  configuration {
    port = 4 / 3
    ip_allow_list = ["10.0.0.1", null]
  }
  timeouts {
    delete = "soon"
  }
}
resource "rnv_deployment" "a" {
  service_id = "00000000-0000-4000-8000-000000000001"
  commit = "HEAD"
  when = "never"
}
resource "rnv_variable" "v" {
  service_id = "00000000-0000-4000-8000-000000000001"
  key = "K"
  value_wo = "x"
}
resource "rnv_variables" "v" {
  service_id = "00000000-0000-4000-8000-000000000001"
  values = { "" = "x" }
}
