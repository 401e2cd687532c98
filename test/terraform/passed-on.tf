variable "configuration" {
  type = object({
    repository    = string
    branch        = optional(string)
    replicas      = optional(number)
    start_command = optional(string)
    include_paths = optional(list(string))
  })
}
variable "protected" {
  type    = bool
  default = null
}
variable "kind" { default = "web" }
terraform {
  required_providers { rnv = { source = "rnv/rnv" } }
}
resource "rnv_service" "this" {
  name                = "api"
  kind                = var.kind
  deletion_protection = var.protected
  configuration {
    repository    = var.configuration.repository
    branch        = var.configuration.branch
    replicas      = var.configuration.replicas
    start_command = var.configuration.start_command
    include_paths = var.configuration.include_paths
  }
}
