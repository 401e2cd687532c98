data "rnv_projects" "all" {}

output "projects" {
  value = { for project in data.rnv_projects.all.projects : project.name => project.id }
}
