{{- define "stillwater.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "stillwater.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "stillwater.labels" -}}
{{ include "stillwater.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* The names by which clients reach the engine, by commas. */}}
{{- define "stillwater.names" -}}
{{- $name := include "stillwater.fullname" . -}}
{{- $namespace := .Release.Namespace -}}
{{- $own := list $name (printf "%s.%s" $name $namespace) (printf "%s.%s.svc" $name $namespace) (printf "%s.%s.svc.cluster.local" $name $namespace) "localhost" -}}
{{- concat $own .Values.http.names | uniq | join "," -}}
{{- end -}}

{{- define "stillwater.databaseUrl" -}}
{{- $db := .Values.database.external -}}
{{- $host := required "database.external.host is the address of your PostgreSQL; or choose database.mode=embedded" $db.host -}}
{{- $verified := has $db.tls (list "verify-ca" "verify-full") -}}
{{- if $verified -}}{{- $_ := required "database.external.caSecret is needed to verify the database's certificate" $db.caSecret -}}{{- end -}}
jdbc:postgresql://{{ $host }}:{{ $db.port }}/{{ $db.name }}?sslmode={{ $db.tls }}{{ if $db.caSecret }}&sslrootcert=/etc/stillwater-database/ca.crt{{ end }}
{{- end -}}

{{/* Refuses settings that the chart would not carry out, and says what to set instead. */}}
{{- define "stillwater.checkSettings" -}}
{{- $instead := dict
      "server.port" "the pod's port is 8443; service.port is the one that clients use"
      "server.address" "the pod listens on all its addresses; networkPolicy.clients limits clients"
      "stillwater.tls.enabled" "probes and Service use HTTPS; secrets.tls is a certificate of your own"
      "stillwater.relay.port" "the pod's port for relays is 54331; relay.enabled opens it"
      "stillwater.relay.enabled" "set relay.enabled, which opens the port, too"
      "stillwater.data-folder" "the data are on the volume; persistence describes it"
      "stillwater.hosts-file" "list the hosts in hosts"
      "spring.datasource.url" "set database.external"
-}}
{{- range $name, $value := .Values.settings -}}
{{- if or (regexMatch "(password|secret)$" $name) (hasSuffix "token" $name) -}}
{{- fail (printf "settings.%s is a secret, and all who read ConfigMaps would see it: put it into a Secret, as the key %s, and name the Secret in secrets.settings" $name $name) -}}
{{- end -}}
{{- with get $instead $name -}}{{- fail (printf "settings.%s cannot be set: %s" $name .) -}}{{- end -}}
{{- end -}}
{{- if eq .Values.database.mode "embedded" -}}
{{- range $name := list "host" "secret" "ownerSecret" "caSecret" -}}
{{- if get $.Values.database.external $name -}}
{{- fail (printf "database.external.%s is set, and database.mode is embedded: set database.mode=external, or leave it out" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The engine's settings as a map of whole names; those of the user come last. */}}
{{- define "stillwater.settings" -}}
{{- include "stillwater.checkSettings" . -}}
{{- $all := dict "server.address" "0.0.0.0" "server.port" 8443 -}}
{{- $names := include "stillwater.names" . -}}
{{- $_ := set $all "stillwater.tls.names" $names -}}
{{- $_ := set $all "stillwater.http.allowed-hosts" $names -}}
{{- $_ := set $all "spring.config.import" "optional:configtree:/etc/stillwater-secrets/" -}}
{{- if .Values.hosts -}}{{- $_ := set $all "stillwater.hosts-file" "/etc/stillwater/hosts" -}}{{- end -}}
{{- if eq .Values.database.mode "external" -}}
{{- $_ := set $all "spring.datasource.url" (include "stillwater.databaseUrl" .) -}}
{{- end -}}
{{- if .Values.secrets.hostCertificates -}}
{{- $_ := set $all "stillwater.wire.tls.certificate" "/etc/stillwater-pki/engine.pem" -}}
{{- $_ := set $all "stillwater.wire.tls.key" "/etc/stillwater-pki/engine.key.pem" -}}
{{- $_ := set $all "stillwater.wire.tls.trust" "/etc/stillwater-pki/ca.pem" -}}
{{- end -}}
{{- if .Values.secrets.tls -}}
{{- $_ := set $all "stillwater.tls.certificate" "/etc/stillwater-tls/tls.crt" -}}
{{- $_ := set $all "stillwater.tls.key" "/etc/stillwater-tls/tls.key" -}}
{{- end -}}
{{- if .Values.secrets.encryptionKeys -}}{{- $_ := set $all "stillwater.secrets.key-file" "/etc/stillwater-keys/keys" -}}{{- end -}}
{{- if .Values.relay.enabled -}}
{{- $_ := set $all "stillwater.relay.enabled" true -}}
{{- $_ := set $all "stillwater.relay.address" "0.0.0.0" -}}
{{- if .Values.secrets.hostCertificates -}}
{{- $_ := set $all "stillwater.relay.certificate" "/etc/stillwater-pki/engine.pem" -}}
{{- $_ := set $all "stillwater.relay.key" "/etc/stillwater-pki/engine.key.pem" -}}
{{- $_ := set $all "stillwater.relay.authorities" "/etc/stillwater-pki/ca.pem" -}}
{{- end -}}
{{- end -}}
{{- toYaml (mergeOverwrite $all .Values.settings) -}}
{{- end -}}

{{/* Whether there are secret settings as files. */}}
{{- define "stillwater.hasSecretSettings" -}}
{{- if or (eq .Values.database.mode "external") .Values.secrets.settings -}}yes{{- end -}}
{{- end -}}

{{- define "stillwater.probe" -}}
httpGet:
  path: /actuator/health/{{ .path }}
  port: https
  scheme: HTTPS
  httpHeaders:
    - name: Host
      value: localhost
{{- end -}}
