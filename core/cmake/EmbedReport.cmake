# Writes the assets of reports as a C++ source. Run with -P and
#   OUTPUT  the source;  REPORT  folder io/report/page;  UPLOT  uPlot's folder, or empty;  VERSION  of uPlot
function(embed name files)
  set(bytes "")
  foreach(file ${files})
    file(READ ${file} hex HEX)
    string(APPEND bytes "${hex}")
  endforeach()
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(REGEX REPLACE "('[^']*','[^']*','[^']*','[^']*','[^']*','[^']*','[^']*','[^']*',)" "\\1\n" bytes "${bytes}")
  set(text "${text}constexpr char k${name}[] = {${bytes}'\\0'};\nconstexpr std::string_view k${name}Text(k${name}, ${size});\n" PARENT_SCOPE)
endfunction()

set(text "// Made by core/cmake/EmbedReport.cmake.\n#include \"core/app/views/results/report_assets.h\"\n\nnamespace heddle {\nnamespace {\n")
embed(Page ${REPORT}/page.html)
embed(Style ${REPORT}/page.css)
set(scripts "")
foreach(script format charts heatmap tables panels views/step views/fabric_drawing views/fabric views/timeline summary about flows links congestion failures workloads running static sweep sections main)
  list(APPEND scripts ${REPORT}/${script}.js)
endforeach()
embed(Script "${scripts}")
if(UPLOT)
  embed(ChartStyle ${UPLOT}/dist/uPlot.min.css)
  embed(ChartScript ${UPLOT}/dist/uPlot.iife.min.js)
  embed(ChartLicence ${UPLOT}/LICENSE)
else()
  embed(ChartStyle "")
  embed(ChartScript "")
  embed(ChartLicence "")
endif()
string(APPEND text "}  // namespace\n
ReportAssets EmbeddedReportAssets() {
  return {kPageText, kStyleText, kScriptText, kChartStyleText, kChartScriptText, kChartLicenceText};
}

const char* UplotVersion() { return \"${VERSION}\"; }

}  // namespace heddle\n")
file(WRITE ${OUTPUT} "${text}")
