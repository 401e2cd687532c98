<shop>
resource "rnv_variable" "a" {
  service_id = rnv_service.api.id
  key        = "A"
  value      = "<value>"
}
resource "rnv_variables" "b" {
  service_id = rnv_service.api.id
  values     = { B = "<value>", C = "<value>" }
}
