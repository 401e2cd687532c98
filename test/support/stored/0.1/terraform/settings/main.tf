terraform {
  required_providers { rnv = { source = "rnv/rnv" } }
}
provider "rnv" {

}
resource "rnv_project" "shop" {
  name = "Shop"
}

resource "rnv_service" "api" {
  name       = "api"
  kind       = "web"
  project_id = rnv_project.shop.id
  settings = {
    repository    = "https://git.example.com/shop/api"
    branch        = "develop"
    replicas      = "2"
    start_command = sensitive("node server.js")
  }
  deletion_protection = true
}
