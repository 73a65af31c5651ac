; The installer for Windows. packaging/windows_installer.py compiles it:
;   makensis -DVERSION=... -DBUNDLE=folder -DOUTPUT=file.exe -DKILOBYTES=... packaging/windows/mcsvm.nsi
; For one user, without an administrator, unless /ALLUSERS is given; /S installs in silence, /D=folder says where.
Unicode true
!include MUI2.nsh
!include FileFunc.nsh

!define NAME "mcsvm"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\${NAME}"
!define CLASSES "Software\Classes"

Name "${NAME} ${VERSION}"
OutFile "${OUTPUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\${NAME}"
SetCompressor /SOLID lzma
SetCompressorDictSize 64
ManifestDPIAware true
VIProductVersion "${VERSION}.0"
VIAddVersionKey ProductName "${NAME}"
VIAddVersionKey FileDescription "Multi-class support vector machines"
VIAddVersionKey ProductVersion "${VERSION}"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey LegalCopyright "the mcsvm authors"

!define MUI_ABORTWARNING
!define MUI_FINISHPAGE_RUN "$INSTDIR\mcsvm-gui.exe"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE English
!insertmacro MUI_LANGUAGE German

Var Users ; " /ALLUSERS", or nothing

; Everybody's or one user's: which part of the registry, which menu.
!macro CHOOSE_USERS
  StrCpy $Users ""
  SetShellVarContext current
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/ALLUSERS" $1
  ${IfNot} ${Errors}
    StrCpy $Users " /ALLUSERS"
    SetShellVarContext all
  ${EndIf}
!macroend

Function .onInit
  !insertmacro CHOOSE_USERS
FunctionEnd

; Removed by the same users as installed: the uninstaller is told so in its own command line.
Function un.onInit
  !insertmacro CHOOSE_USERS
FunctionEnd

!macro ASSOCIATE suffix kind
  WriteRegStr SHCTX "${CLASSES}\.${suffix}" "" "mcsvm.${suffix}"
  WriteRegStr SHCTX "${CLASSES}\mcsvm.${suffix}" "" "${kind}"
  WriteRegStr SHCTX "${CLASSES}\mcsvm.${suffix}\DefaultIcon" "" "$INSTDIR\mcsvm-gui.exe,0"
  WriteRegStr SHCTX "${CLASSES}\mcsvm.${suffix}\shell\open\command" "" '"$INSTDIR\mcsvm-gui.exe" "%1"'
!macroend

!macro DISSOCIATE suffix
  DeleteRegKey SHCTX "${CLASSES}\.${suffix}"
  DeleteRegKey SHCTX "${CLASSES}\mcsvm.${suffix}"
!macroend

Section
  ; What an older version left would be loaded by a newer one.
  RMDir /r "$INSTDIR\_internal"
  SetOutPath "$INSTDIR"
  File /r "${BUNDLE}\*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortCut "$SMPROGRAMS\${NAME}.lnk" "$INSTDIR\mcsvm-gui.exe"
  !insertmacro ASSOCIATE mcsvm "mcsvm model"
  !insertmacro ASSOCIATE mcsvmproj "mcsvm project"
  WriteRegStr SHCTX "${UNINSTALL}" DisplayName "${NAME}"
  WriteRegStr SHCTX "${UNINSTALL}" DisplayVersion "${VERSION}"
  WriteRegStr SHCTX "${UNINSTALL}" DisplayIcon "$INSTDIR\mcsvm-gui.exe"
  WriteRegStr SHCTX "${UNINSTALL}" Publisher "the mcsvm authors"
  WriteRegStr SHCTX "${UNINSTALL}" InstallLocation "$INSTDIR"
  WriteRegDWORD SHCTX "${UNINSTALL}" EstimatedSize ${KILOBYTES}
  WriteRegDWORD SHCTX "${UNINSTALL}" NoModify 1
  WriteRegDWORD SHCTX "${UNINSTALL}" NoRepair 1
  WriteRegStr SHCTX "${UNINSTALL}" UninstallString '"$INSTDIR\uninstall.exe"$Users'
  ${RefreshShellIcons}
SectionEnd

; Only what was installed: files a user put into the folder stay.
Section Uninstall
  RMDir /r "$INSTDIR\_internal"
  Delete "$INSTDIR\mcsvm.exe"
  Delete "$INSTDIR\mcsvm-gui.exe"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\${NAME}.lnk"
  !insertmacro DISSOCIATE mcsvm
  !insertmacro DISSOCIATE mcsvmproj
  DeleteRegKey SHCTX "${UNINSTALL}"
  ${RefreshShellIcons}
SectionEnd
