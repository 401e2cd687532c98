
      resource "terraform_data" "first" {}
      data "rnv_services" "before" { depends_on = [terraform_data.first] }
      resource "terraform_data" "pause" {
        input = data.rnv_services.before.services[*].name
        provisioner "local-exec" { command = "sleep 2" }
      }
      data "rnv_services" "after" { depends_on = [terraform_data.pause] }
      output "names" { value = join("+", data.rnv_services.after.services[*].name) }
    