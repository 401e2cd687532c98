
variable "api" {
  type = object({ repository = string, branch = optional(string), replicas = optional(string) })
  default = { repository = "https://git.example.com/shop/api", replicas = "2" }
}
module "api" {
  source        = "./service"
  configuration = <configuration>
  <more>
}
