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

# Runs in each apply that changes one of its triggers, after them.
resource "rnv_deployment" "example" {
  service_id = data.rnv_service.docs.id
  triggers   = { theme = rnv_variable.theme.revision }

  timeouts {
    create = "20m"
    update = "20m"
  }
}
