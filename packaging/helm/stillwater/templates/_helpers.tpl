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

{{/* The engine's settings as a map of whole names; those of the user come last. */}}
{{- define "stillwater.settings" -}}
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
