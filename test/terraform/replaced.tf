resource "rnv_service" "store" {
  name       = "store"
  kind       = "<kind>"
  project_id = "<project>"
  configuration {
    repository = "https://git.example.com/shop/store"
  }
}
resource "rnv_variable" "plain" {
  service_id = rnv_service.store.id
  key        = "PLAIN"
  value      = "p4ssw0rd"
}
resource "rnv_variable" "hidden" {
  service_id       = rnv_service.store.id
  key              = "HIDDEN"
  value_wo         = "p4ssw0rd"
  value_wo_version = 1
}
resource "rnv_variables" "all" {
  service_id = rnv_service.store.id
  values     = { A = "1", B = "2" }
}
resource "rnv_deployment" "store" {
  service_id = rnv_service.store.id
  triggers   = {
    config = rnv_service.store.revision
    vars   = join(",", [rnv_variable.plain.revision, rnv_variable.hidden.revision, rnv_variables.all.revision])
  }
}
