data "rnv_project" "shop" {
  name = "Shop"
}

data "rnv_service" "docs" {
  project_id = data.rnv_project.shop.id
  name       = "docs"
}

resource "rnv_variable" "theme" {
  service_id = data.rnv_service.docs.id
  key        = "THEME"
  value      = "dark"
}

# One deployment for each apply that changes a variable of the service, after it.
resource "rnv_deployment" "example" {
  service_id = data.rnv_service.docs.id
  depends_on = [rnv_variable.theme]

  timeouts {
    create = "20m"
    update = "20m"
  }
}
