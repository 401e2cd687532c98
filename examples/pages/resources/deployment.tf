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

# One deployment for each change of what it is triggered by.
resource "rnv_deployment" "example" {
  service_id = data.rnv_service.docs.id

  triggers = {
    theme = rnv_variable.theme.value
  }

  timeouts {
    create = "20m"
    update = "20m"
  }
}
