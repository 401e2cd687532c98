variable "service_id" {}
variable "key" {}
resource "rnv_variable" "one" {
  service_id       = var.service_id
  key              = var.key
  value            = var.value
  value_wo         = var.secret
  value_wo_version = var.secret == null ? null : 1
  generate         = var.length == null ? null : { length = var.length }
  preserve         = var.preserve
}
resource "rnv_deployment" "one" {
  service_id = var.service_id
  when       = var.when
  commit     = var.commit
  triggers   = { v = rnv_variable.one.revision }
}
