# What packages of Debian have beside the files that are installed everywhere: copyright and changes of each, compressed
# pages, and the folder of Debian's own Python. Run by CPack on the folders that become packages; not by `file(INSTALL)`,
# which would heed the DESTDIR that CPack has set.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(here ${CPACK_TESSERA_SOURCE}/app/package)
set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
foreach(package IN LISTS CPACK_COMPONENTS_ALL)
  set(usr ${CPACK_TEMPORARY_DIRECTORY}/${package}/usr)
  set(doc ${usr}/share/doc/${package})
  file(COPY ${here}/copyright DESTINATION ${doc} FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  file(REMOVE ${doc}/LICENSE)  # which Debian has once for all packages
  run(python3 ${here}/changelog.py ${CPACK_TESSERA_SOURCE}/CHANGELOG.md ${version} ${CPACK_PACKAGE_CONTACT} ${doc}/changelog.Debian)
  if(EXISTS ${here}/${package}.lintian-overrides)
    file(MAKE_DIRECTORY ${usr}/share/lintian/overrides)
    file(COPY_FILE ${here}/${package}.lintian-overrides ${usr}/share/lintian/overrides/${package})
  endif()
  file(GLOB_RECURSE pages ${usr}/share/man/*)
  list(FILTER pages EXCLUDE REGEX "\\.gz$")
  run(gzip --best --no-name --force ${doc}/changelog.Debian ${pages})
  file(GLOB pythons ${usr}/lib/python3.*)
  foreach(python IN LISTS pythons)
    file(RENAME ${python} ${usr}/lib/python3)
  endforeach()
endforeach()
