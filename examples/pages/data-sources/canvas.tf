data "rnv_project" "shop" {
  name = "Shop"
}

data "rnv_canvas" "shop" {
  project_id = data.rnv_project.shop.id
}

output "uses" {
  value = [for edge in data.rnv_canvas.shop.edges : "${edge.source} -> ${edge.target}"]
}
